"""The DP Budget Monitor: `streamlit run app.py`.

The server runs `pages/parts/main.py`, so that no folder named `pages` lies beside the script it runs: Streamlit
would offer the files in such a folder by their own addresses until the navigation has first been set up, and would
greet a deep link on a fresh server with "Page not found".
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.parts.shell import run

app = st.App("pages/parts/main.py")

if get_script_run_ctx(suppress_warning=True) is not None:
    run()
