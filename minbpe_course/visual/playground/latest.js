// Latest wins: one question is under way, the newest one waits, and those between are never asked.

const SLOW = 1000; // milliseconds after which an answer is called slow

export function createLatest(answer, { done, failed, slow }) {
  let busy = false;
  let waiting = null;

  async function run(question) {
    busy = true;
    const timer = setTimeout(() => slow(question), SLOW);
    try {
      const result = await answer(question);
      clearTimeout(timer);
      done(question, result);
    } catch (problem) {
      clearTimeout(timer);
      failed(question, problem);
    }
    busy = false;
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
  };
}
