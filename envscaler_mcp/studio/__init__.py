"""The studio: worlds in a browser. What its pages show comes from operations of the control plane, which programs call too.

`schemas.py` holds the operations, `tables.py`, `forms.py`, `reasons.py` and `snippets.py` make what they answer, `pages.py` serves the
files of `static/`. The farm answers the operations (`farm/studio_plane.py`) and lets browsers in (`farm/studio_door.py`).
"""
