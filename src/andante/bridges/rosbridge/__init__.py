"""The rosbridge protocol (v2), both as server and as client."""
