"""Keywords: the words of a text that say something, in English, Chinese, Japanese and Korean."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.toolsets.text.keywords import STOP_WORDS, extract_keywords, normal


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("帮我优化 Vue 组件的性能", {"vue", "组件", "性能", "优化"}),
        ("How do I speed up my Vue.js components?", {"speed", "vue", "js", "components"}),
        ("我们在学习人工智能和机器学习", {"学习", "人工智能", "机器"}),
        ("为什么这个组件这么慢", {"组件"}),
        ("用vue写组件", {"vue", "组件"}),
        ("C++ and C#, not #5", {"c++", "c#"}),
        ("Ｖｕｅ３ ﬁle snake_case", {"vue3", "file", "snake", "case"}),
        ("東京でコンポーネントの性能", {"東京", "コンポーネント", "性能"}),
        ("한국어 메모리", {"한국어", "메모리"}),
        ("naïve CAFÉ cafe\u0301", {"naïve", "café"}),
        ("the is 的 a 我 x 👍 ...", set()),
        ("", set()),
    ],
)
def test_keywords(text: str, keywords: set[str]) -> None:
    assert set(extract_keywords(text)) == keywords


def test_they_keep_their_order_and_come_once() -> None:
    assert extract_keywords("zebra apple ZEBRA 苹果 mango 苹果") == ["zebra", "apple", "苹果", "mango"]


@given(st.text())
def test_every_keyword_is_in_the_text_and_says_something(text: str) -> None:
    found = extract_keywords(text)
    assert len(set(found)) == len(found)
    for word in found:
        assert word in normal(text)
        assert len(word) >= 2
        assert word not in STOP_WORDS


def test_the_dictionary_is_not_loaded_for_a_text_without_chinese() -> None:
    code = (
        "import sys; from zkmem.toolsets.text.keywords import extract_keywords; extract_keywords('vue 한국어 です');"
        "assert 'rjieba' not in sys.modules; extract_keywords('组件'); assert 'rjieba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
