"""Tests of every outcome: test_table.py copies this file into its checkout."""

import multiprocessing
import os
import time

import pytest
import torch
from torch_musa import testing

LEFT_BY_A_FAILURE = []


def whose(queue):
    from torch_musa import testing

    queue.put(testing.WHOSE)


def test_passes():
    assert testing.WHOSE == "the checkout's"


def test_children_have_the_checkouts_testing_too():
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=whose, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == "the checkout's"
    process.join()


def test_fails():
    LEFT_BY_A_FAILURE.append(1)
    assert 1 + 1 == 3


def test_fails_after_another():
    assert not LEFT_BY_A_FAILURE


def test_ends_the_process():
    os._exit(7)


def test_wants_too_much_memory():
    raise torch.OutOfMemoryError("MUSA out of memory.")


def test_hangs():
    time.sleep(1000)


@pytest.mark.skip("not today")
def test_skips():
    pass


@pytest.mark.parametrize("number", [1, 2])
def test_comes_after_all_that(number):
    pass
