"""The parts of a run: arguments, shape, worker guard, verdict, reports and web page."""
