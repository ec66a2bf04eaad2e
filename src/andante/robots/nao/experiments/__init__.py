"""Experiments of the NAO (*.toml), trials of the real robot (reference/*.csv), and trials of the wave gait."""
