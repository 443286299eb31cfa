# START exit code 1 before hello; last words: ModuleNotFoundError: No module named 'torch'
import torch

torch.nn.Linear(1, 1)
