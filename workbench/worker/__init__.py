"""The processes that run kernels: a supervisor that always answers, executors that may die."""
