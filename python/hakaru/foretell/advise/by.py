"""What layouts can be ranked by: words of the command line, without what computes them."""

TIME, NODE_HOURS, JOULES = "time", "node-hours", "joules"
BY = (TIME, NODE_HOURS, JOULES)
