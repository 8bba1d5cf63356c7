"""Answers that try to cheat or to do harm, as text. Nothing in here runs unless a sandbox runs it.

    integrity   wants points that it has not earned, by what it returns or changes in its process
    forgery     wants the same, by what it writes on the pipe or how it ends
    reading     wants to see what it must not see: solutions, secrets, other processes
    harm        wants to do something to the machine, and brings back "escaped" when it could
    floods      wants to use everything up
    cheating    cheats in an exercise where the learner writes the test
    honest      looks odd and is right: must keep full marks

Every one is bounded by itself in count, size and seconds, so that a sandbox that fails costs a red test and no more.
Tokens in capitals between two ``@`` are replaced by the test that runs them.
"""
