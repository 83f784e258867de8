"""The main job: probe, run, explain, predict, check the prediction, report."""
