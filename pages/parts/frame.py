"""What every page over a log begins with: the log's name and age, the way to refresh, and what is wrong with it."""

import time
from collections.abc import Mapping, Sequence

import streamlit as st

from dpcore import words
from dpcore.status import Alert
from pages.parts import routes, source
from pages.parts.source import Snapshot, Unreadable
from pages.parts.theme import STATE_COLOURS, STATE_ICONS

REFRESH_SECONDS = 15

_ACTIVE = str.maketrans({sign: f"\\{sign}" for sign in r"\`*_{}[]()<>#+-.!|~$:&^=@"})


def escape(text: str) -> str:
    """Text for a label that Streamlit reads as Markdown: nothing in it acts as markup, a formula, an icon or a link."""
    # An address is made a link after the escapes are gone, so its dots and slashes get a joint of no width.
    joined = " ".join(text.split()).translate(_ACTIVE)
    return joined.replace("\\://", "\\:\u2060//").replace("www\\.", "www\u2060\\.").replace("\\@", "\u2060\\@")


def plural(number: int, noun: str) -> str:
    """1 pool, 2 pools."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def notice(kind: str, text: str, *, word: str | None = None) -> None:
    """A sentence that may quote the log, under a state's sign and colour; shown as text, never as markup."""
    colour, icon = STATE_COLOURS[kind], STATE_ICONS[kind]
    with st.container(horizontal=True, vertical_alignment="top", gap="small", wrap=False):
        st.badge(word or words.STATE_WORDS[kind], icon=icon, color=colour)  # type: ignore[arg-type]
        st.text(text, width="stretch")


def translate(key: str, names: Mapping[str, str], *, several: bool = False) -> list[str]:
    """What the address asks of a bound widget whose options it may also call by other names.

    Call before the widget is drawn: a widget takes other names from its state only.
    """
    asked = [names.get(value, value) for value in st.query_params.get_all(key)]
    if asked != st.query_params.get_all(key):
        st.session_state[key] = asked if several else asked[-1]
    return asked


def open_log() -> Snapshot:
    """The figures to draw, after the sample is built if it has to be. Stops the page with a sentence where none are."""
    _build_sample()
    try:
        with st.spinner("Reading the log"):
            shown = source.snapshot()
    except Unreadable as error:
        notice("critical", str(error), word="No figures")
        if st.button("Try again", icon=":material/refresh:"):
            st.rerun()
        st.stop()
    _watch(shown, time.monotonic())
    return shown


def _build_sample() -> None:
    if not source.is_sample():
        return
    try:
        build = source.sample_build()
    except Unreadable as error:
        notice("critical", str(error), word="No figures")
        st.stop()
    if build is None:
        return
    place = st.empty()
    with place.container():
        st.subheader("Building the sample log", anchor=False)
        st.caption("Three years of invented queries and one real release. This happens once a day.")
        bar = st.progress(0.0, text=build.text)
        while not build.done.wait(0.2):
            bar.progress(build.fraction, text=build.text)
    place.empty()
    if build.error:
        notice("critical", build.error, word="No figures")
        st.stop()


@st.fragment(run_every=REFRESH_SECONDS)
def _watch(shown: Snapshot, drawn: float) -> None:
    # Not at once after drawing: a log that is written all the time, or held, would keep the page from settling.
    if time.monotonic() - drawn > REFRESH_SECONDS / 2 and source.changed_since(shown):
        st.rerun()


def status_line(shown: Snapshot, zone: str = "UTC") -> None:
    """Which log this is, as of when, and the way to read it again."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if source.is_sample():
            st.badge("Sample data", icon=":material/science:", color="gray")
        else:
            st.text(shown.path.name, width="content", help=str(shown.path).replace("\\", "\\\\"))
        st.caption(f"as of {words.moment(shown.status.as_of, zone)}", width="content")
        if st.button("Refresh", icon=":material/refresh:", type="tertiary", help="Read the log again now"):
            source.forget()
            st.rerun()
    if shown.trouble:
        as_of = words.moment(shown.status.as_of, zone)
        notice("warning", f"These are the last figures, as of {as_of}. {shown.trouble}", word="Stale")


def alerts(found: Sequence[Alert], *, links: bool, show: int = 6) -> None:
    """Alerts as sentences, most urgent first, each with the way to its pool."""
    with st.container(gap="xsmall"):
        for alert in found[:show]:
            _alert(alert, links)
    if len(found) > show:
        with st.expander(plural(len(found) - show, "more alert")), st.container(gap="xsmall"):
            for alert in found[show:]:
                _alert(alert, links)


def _alert(alert: Alert, links: bool) -> None:
    if not links or not alert.pool:
        notice(alert.severity, alert.text)
        return
    sentence, way = st.columns([7, 3], gap="small")
    with sentence:
        notice(alert.severity, alert.text)
    way.page_link(
        routes.pool(),
        label=f"Open {escape(alert.pool)}",
        icon=":material/arrow_forward:",
        query_params={"pool": alert.pool},
    )
