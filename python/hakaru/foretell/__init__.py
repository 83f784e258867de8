"""What a run will take: models, replays, advice, and how wrong they were."""
