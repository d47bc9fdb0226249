#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training throughput of simple-cnn here and in PyTorch, by turns in one run, with the same threads.

Needs PyTorch (Debian's python3-torch, or pip) and the built benchmark train_throughput. Prints
samples/s of both and the ratio for each data shape and batch size; fails when the ratio is below
--at-least anywhere.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = {"mnist": (1, 28, 28), "cifar": (3, 32, 32)}
SAMPLES = 4096


def simple_cnn(channels, height, width):
    return torch.nn.Sequential(
        torch.nn.Conv2d(channels, 16, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(16 * (height // 2) * (width // 2), 10),
    )


class PyTorch:
    """The net, its optimizer and its data, all in memory; batches are views of contiguous data."""

    def __init__(self, shape, batch, device):
        torch.manual_seed(1)
        self.device = device
        self.inputs = torch.randn(SAMPLES, *shape).to(device)
        self.labels = torch.randint(0, 10, (SAMPLES,)).to(device)
        self.net = simple_cnn(*shape).to(device)
        self.loss = torch.nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.batch = batch
        self.at = 0

    def step(self):
        begin, end = self.at, min(self.at + self.batch, SAMPLES)
        self.at = end % SAMPLES
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.net(self.inputs[begin:end]), self.labels[begin:end]).backward()
        self.optimizer.step()
        return end - begin

    def samples_per_second(self, seconds):
        for _ in range(3):
            self.step()
        self.finish()
        samples, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            samples += self.step()
        self.finish()
        return samples / (time.perf_counter() - start)

    def finish(self):
        """Waits for what a card still has to do."""
        if self.device != "cpu":
            torch.cuda.synchronize()


def trainscope(program, name, threads, device):
    output = subprocess.run(
        [program, f"--threads={threads}", f"--device={device}",
         f"--benchmark_filter=^{name}/", "--benchmark_format=json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    (only,) = json.loads(output)["benchmarks"]
    return only["items_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=ROOT / "build/release/tests/benchmarks/train_throughput")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of PyTorch in each round")
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 32, 64, 128, 256, 512],
                        help="of those that train_throughput has; 4096 too on a card")
    parser.add_argument("--at-least", type=float, default=0.0)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.backends.cudnn.allow_tf32 = False  # float32 in both
    print(f"PyTorch {torch.__version__}, {options.device}, {options.threads} threads, median of {options.rounds} rounds")
    print(f"{'shape':6} {'batch':>5} {'PyTorch':>12} {'Trainscope':>12} {'ratio':>7}   samples/s")
    worst = float("inf")
    for shape_name, shape in SHAPES.items():
        for batch in options.batches:
            rival = PyTorch(shape, batch, options.device)
            theirs, ours = [], []
            for _ in range(options.rounds):
                theirs.append(rival.samples_per_second(options.seconds))
                ours.append(trainscope(options.program, f"simple-cnn/{shape_name}/{batch}/auto",
                                       options.threads, options.device))
            ratio = statistics.median(o / t for o, t in zip(ours, theirs))
            worst = min(worst, ratio)
            print(f"{shape_name:6} {batch:5} {statistics.median(theirs):12,.0f} "
                  f"{statistics.median(ours):12,.0f} {ratio:6.2f}x", flush=True)
    print(f"lowest ratio {worst:.2f}x")
    return 0 if worst >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
