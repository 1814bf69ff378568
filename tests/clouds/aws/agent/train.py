"""A real training loop: softmax regression, its own checkpoints, and what the agent asks of it."""

import json
import os
import signal
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np

STEPS, EVERY, FEATURES, CLASSES, BATCH = 120, 25, 12, 4, 32

folder = Path(os.environ["CHECKPOINT_DIR"])
saved = Path(os.environ["GPUINFRA_SAVED"])
heard = Path(os.environ["HEARD"])
wishes = {"end": False, "save": False, "more": False}
release = os.environ.get("RELEASE")
"""A file that it waits for before it saves for the last time."""
holds = {int(step): wish for step, wish in json.loads(os.environ.get("HOLDS", "{}")).items()}
"""Steps at which it waits to be asked, so that nothing depends on the test's speed."""


def hear(number, _frame):
    with heard.open("a") as file:
        file.write(f"{signal.Signals(number).name}\n")
    wishes["end" if number == signal.SIGTERM else "save"] = True


def gradient(weights, inputs, labels):
    scores = inputs @ weights
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chances[rows, labels]).mean()
    chances[rows, labels] -= 1
    return loss, inputs.T @ chances / len(labels)


def save(step, weights, draw, losses):
    """Write one checkpoint: whole under its own name, or not there."""
    content = {
        "step": step,
        "weights": weights.tolist(),
        "draw": draw.bit_generator.state,
        "losses": losses,
    }
    name = f"step-{step:06}.json"
    fresh = folder / f".{name}"
    fresh.write_text(json.dumps(content))
    fresh.replace(folder / name)
    if bucket := os.environ.get("CHECKPOINT_PUT"):  # as a mounted bucket has it: there on close
        body = (folder / name).read_bytes()
        plain = {"Content-Type": "application/octet-stream"}
        request = urllib.request.Request(f"{bucket}{name}", body, plain, method="PUT")  # noqa: S310
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310


def tell(step):
    if not os.environ.get("SILENT"):
        saved.write_text(json.dumps({"step": step}))


def main():
    signal.signal(signal.SIGTERM, hear)
    signal.signal(signal.SIGUSR1, hear)
    truth = np.random.default_rng(7)
    inputs = truth.normal(size=(2000, FEATURES))
    labels = (inputs @ truth.normal(size=(FEATURES, CLASSES))).argmax(axis=1)
    draw, weights, losses = np.random.default_rng(11), np.zeros((FEATURES, CLASSES)), []
    folder.mkdir(parents=True, exist_ok=True)
    for newest in sorted(folder.glob("step-*.json"))[-1:]:
        state = json.loads(newest.read_text())
        weights, losses = np.array(state["weights"]), state["losses"]
        draw.bit_generator.state = state["draw"]
    for step in range(len(losses) + 1, STEPS + 1):
        batch = draw.integers(len(inputs), size=BATCH)
        loss, slope = gradient(weights, inputs[batch], labels[batch])
        weights -= 0.5 * slope
        losses.append(float(loss))
        while step in holds and not wishes[holds[step]]:
            time.sleep(0.005)
        if wishes["end"] and not os.environ.get("STUBBORN"):
            while release and not Path(release).exists():
                time.sleep(0.005)
            save(step, weights, draw, losses)
            tell(step)
            sys.exit(75)
        if step % EVERY == 0 or wishes["save"] or step == STEPS:
            save(step, weights, draw, losses)
            if wishes["save"]:
                wishes["save"] = False
                tell(step)


if __name__ == "__main__":
    main()
