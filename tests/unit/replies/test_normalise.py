"""The first step: edges and reasoning."""

import pytest

from libriscribe2.replies.normalise import normalise


@pytest.mark.parametrize(
    ("reply", "text", "labels"),
    [
        (' {"a": 1}\n', '{"a": 1}', ()),
        ('\ufeff{"a": 1}', '{"a": 1}', ("byte_order_mark",)),
        ('\u200b{"a": 1}\u200d', '{"a": 1}', ("zero_width_characters",)),
        ('\u00a0{"a": 1}', '{"a": 1}', ()),
        ("<b>x</b>", "<b>x</b>", ()),
        ("<think>a</think>b", "b", ("reasoning_block",)),
        ("<THINK class='x'>a</THINK>b", "b", ("reasoning_block",)),
        ("<think>a <think>b</think> c</think>d", "d", ("reasoning_block",)),
        ("<think>a</reasoning></think>d", "d", ("reasoning_block",)),
        ("◁think▷a◁/think▷b", "b", ("reasoning_block",)),
        ('draft {"a": 0}\n</think>\n{"a": 1}', '{"a": 1}', ("reasoning_block",)),
        ("x<think>a</think>y<think>b</think>z", "xyz", ("reasoning_block",)),
        ('{"a": 1}\n<think>after</think>', '{"a": 1}', ("reasoning_block",)),
        ('Here: {"a": "<think>b</think>"}', 'Here: {"a": "<think>b</think>"}', ()),
        ('{"a": "<think>b</think>",}', '{"a": "<think>b</think>",}', ()),
        ('{ // c\n"a": "<think>b</think>"}', '{ // c\n"a": "<think>b</think>"}', ()),
        ('{"a": 1,\n<think>b</think>}', '{"a": 1,\n}', ("reasoning_block",)),
        (
            "<|start|>assistant<|channel|>analysis<|message|>hm<|end|>"
            "<|start|>assistant<|channel|>final<|message|>done",
            "done",
            ("reasoning_block",),
        ),
        ("<|im_start|>assistant\nx", "<|im_start|>assistant\nx", ()),
        ("<|channel|>analysis<|message|>x", "", ("reasoning_block",)),
    ],
)
def test_edges_and_reasoning(reply: str, text: str, labels: tuple[str, ...]) -> None:
    found = normalise(reply)
    assert (found.text, found.labels) == (text, labels)


@pytest.mark.parametrize("block", ["<think>never ends", "<think>a <think>b</think> a draft"])
def test_unclosed_reasoning_is_flagged(block: str) -> None:
    found = normalise(f"before {block}")
    assert (found.text, found.unclosed_reasoning) == ("before", True)
