"""A car whose motors hang on a microcontroller at a serial port: body, line, protocol and a simulated firmware."""
