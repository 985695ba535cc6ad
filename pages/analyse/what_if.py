from pages.parts.guard import guard  # isort: skip

guard()

import streamlit as st

st.text("todo")
