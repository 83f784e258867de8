"""What the watcher saw of a run: where it computed and which files it used, as lines, as a page, as JSON beside the archive."""
