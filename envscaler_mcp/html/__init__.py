"""What pages that people open in a browser are made of."""
