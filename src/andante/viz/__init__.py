"""Pictures, films, plots and previews."""
