import tilelang
import tilelang.language as T
from tilelang.autotuner import AutoTuner


def kernel(block=128):
    @T.prim_func
    def main(X: T.Tensor((1024,), "float32"), Y: T.Tensor((1024,), "float32")):
        with T.Kernel(1024 // block, threads=128) as bx:
            for i in T.Parallel(block):
                Y[bx * block + i] = X[bx * block + i]

    return main


def tune():
    tuner = AutoTuner.from_kernel(kernel=kernel, configs=[{"block": 128}]).set_compile_args(
        out_idx=[-1],
        target="cuda -arch=sm_90",  # <- removed-api
        execution_backend="dlpack",  # <- removed-api
    )
    return tuner.run()
