"""A scenario in full: every key with its value, and what each default stands for."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from tcpgoodput.scenario.vocabulary import Scenario

COMMENT_COLUMN = 44


def shown(scenario: Scenario) -> str:
    """Return the scenario as YAML that can be read again, defaults marked as such."""
    return "\n".join(_lines(scenario, 0)) + "\n"


def _lines(part: BaseModel, depth: int) -> list[str]:
    lines = []
    indent = "  " * depth
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        is_default = name not in part.model_fields_set
        text = " ".join((field.description or "").split())
        comment = f"default: {text}" if is_default else text
        if isinstance(value, BaseModel):
            lines.append(_commented(f"{indent}{name}:", comment if is_default else ""))
            lines += _lines(value, depth + 1)
        else:
            lines.append(_commented(f"{indent}{name}: {_yaml(value)}", comment))
    return lines


def _commented(line: str, comment: str) -> str:
    return f"{line:<{COMMENT_COLUMN}} # {comment}" if comment else line


def _yaml(value: Any) -> str:
    """Write a plain value; JSON's texts are YAML's, and names need no quotes."""
    if isinstance(value, str) and value.replace("-", "").isalnum() and not value[:1].isdigit():
        reserved = {"null", "true", "false", "nan", "inf", "infinity"}
        return json.dumps(value) if value.lower() in reserved else value
    return json.dumps(value, ensure_ascii=False)
