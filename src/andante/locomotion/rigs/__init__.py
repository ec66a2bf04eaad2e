"""Rigs: legs and stance of a robot, inferred or read, with mass trees and static balance."""
