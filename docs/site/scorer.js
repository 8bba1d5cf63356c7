// How found pages are ordered: a lesson about a word comes before the names of the API that contain it, and after a name
// that is the word itself. The other numbers are Sphinx's own.
var Scorer = {
  score: ([page, , , , score]) => score + (page.startsWith("notebooks/") ? 8 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
