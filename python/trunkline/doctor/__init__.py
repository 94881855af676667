"""Does it work, does it pay, and why not: in a job on its own nodes, on this machine, on a network by prediction."""

from trunkline.doctor.job import Examination, doctor_words, examine

__all__ = ["Examination", "doctor_words", "examine"]
