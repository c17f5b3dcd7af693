"""The patterns of attention: forward, backward, decoding, latent, linear and block-sparse."""
