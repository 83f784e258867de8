"""What a mix of jobs says, in the terminal and as a page."""
