"""Forecasts of a results folder and their scores."""
