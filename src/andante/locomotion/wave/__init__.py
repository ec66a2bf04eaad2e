"""The coupled-wave gait of the NAO: model, playback, fitness, and the gait itself."""
