"""The coupled-wave gait of humanoids: model, playback, fitness, and the gait itself."""
