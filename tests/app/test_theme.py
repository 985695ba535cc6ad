"""Colours: readable on both grounds, and told apart by people with the common colour-vision deficiencies."""

import itertools
import tomllib

import numpy as np
import pytest

from dpcore.pools import THEOREM_NAMES
from dpcore.status import STATES
from pages.parts import theme
from tests.app.conftest import ROOT

CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]

# Machado, Oliveira and Fernandes 2009, severity 1.0.
DEFICIENCIES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> np.ndarray:
    """Linear RGB of a hexadecimal colour."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear RGB."""
    xyz = (
        np.clip(rgb, 0, 1)
        @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]])
        / [0.9505, 1.0, 1.089]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_words_and_labels_have_contrast(ground: str) -> None:
    colours, palette = CONFIG[ground], theme.DARK if ground == "dark" else theme.LIGHT
    back = colours["backgroundColor"]
    assert back == palette.ground
    for name in {*theme.STATE_COLOURS.values()}:
        assert contrast(colours[f"{name}TextColor"], back) >= 4.5, name
        if f"{name}BackgroundColor" in colours:
            assert contrast(colours[f"{name}TextColor"], colours[f"{name}BackgroundColor"]) >= 4.5, name
    assert set(palette.theorems) == set(THEOREM_NAMES)
    for name, colour in {**palette.theorems, "text": palette.text, "muted": palette.muted}.items():
        assert contrast(colour, back) >= 4.5, name


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_states_are_told_apart(ground: str) -> None:
    palette = theme.DARK if ground == "dark" else theme.LIGHT
    colours = {palette.states[state] for state in STATES}
    assert len(colours) == 4
    for colour in colours:
        assert contrast(colour, palette.ground) >= 3
        assert colour in CONFIG[ground].values()
    sights = {"usual": np.eye(3)} | {name: np.array(matrix) for name, matrix in DEFICIENCIES.items()}
    for (name, matrix), (one, other) in itertools.product(sights.items(), itertools.combinations(sorted(colours), 2)):
        assert np.linalg.norm(lab(matrix @ linear(one)) - lab(matrix @ linear(other))) > 18, (name, one, other)
