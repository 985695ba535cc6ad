"""Randomised response, local or central, by its ε."""

from dataclasses import dataclass

from dpcore.losses.pure import Pure


@dataclass(frozen=True, init=False)
class RandomisedResponse(Pure):
    """k-ary randomised response: as `pure`, which is its binary case and dominates the others."""

    mechanism = "randomised_response"
