"""The web server of a bus in a process of its own: rosbridge over WebSockets, pages and files."""
