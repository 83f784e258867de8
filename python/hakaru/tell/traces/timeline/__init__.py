"""The timeline of a trace in its page: ranks over time, by levels of detail, in a canvas and as a still picture."""
