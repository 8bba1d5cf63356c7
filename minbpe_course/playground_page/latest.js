// Latest wins: one question is under way, the newest one waits, and those between are never asked.

const SLOW = 1000; // milliseconds after which an answer is called slow

export function createLatest(answer, { done, failed, slow }) {
  let busy = false;
  let forgotten = false; // whether the answer under way is no longer wanted
  let waiting = null;

  async function run(question) {
    busy = true;
    forgotten = false;
    const timer = setTimeout(() => forgotten || slow(question), SLOW);
    try {
      const result = await answer(question);
      if (!forgotten) done(question, result);
    } catch (problem) {
      if (!forgotten) failed(question, problem);
    } finally {
      clearTimeout(timer);
      busy = false;
    }
    if (waiting !== null) {
      const next = waiting;
      waiting = null;
      run(next);
    }
  }

  return {
    ask(question) {
      if (busy) waiting = question;
      else run(question);
    },
    // What was asked so far is no longer of interest: its answer is not shown.
    forget() {
      forgotten = true;
      waiting = null;
    },
  };
}
