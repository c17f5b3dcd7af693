import tilelang
import tilelang.language as T


def add(N=1024, block=256, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((N,), dtype), Y: T.Tensor((N,), dtype), Z: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                Z[bx * block + i] = X[bx * block + i] + Y[bx * block + i]

    return main


if __name__ == "__main__":
    import torch

    program = add(4096)
    kernel = tilelang.compile(program, out_idx=[2], target="cuda")
    x, y = torch.randn(4096).cuda(), torch.randn(4096).cuda()
    z = torch.empty_like(x)
    kernel(x, y, z)  # <- out-idx-misuse
