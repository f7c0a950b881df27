/** The words of a text as they are compared: apart at changes of case and at signs, in lower case, without endings. */
export function wordsOf(text: string): readonly string[] {
  return (text.normalize('NFKC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap(partsOf);
}

/** Those of a question, without such as are in every sentence. */
export function wordsAskedFor(question: string): readonly string[] {
  const all = [...new Set(wordsOf(question.slice(0, longestQuestion)))];
  const telling = all.filter((word) => !fillers.has(word));
  return (telling.length > 0 ? telling : all).slice(0, mostWords);
}

const longestQuestion = 500;
const mostWords = 24;
const longestRun = 80;

/** `createIssue` */
const afterSmall = /([\p{Ll}\p{N}])(?=\p{Lu})/gu;
/** `HTTPServer` */
const afterAcronym = /(\p{Lu})(?=\p{Lu}\p{Ll})/gu;

const fillers = new Set(
  'a an and any are as at be by can do doe for from has have how i in into is it its me my of on or our that the their them then thi to us want was we what when which with you your'.split(
    ' ',
  ),
);

const remembered = new Map<string, readonly string[]>();
const mostRemembered = 20_000;

/** Remembered, as descriptions are made of few words. */
function partsOf(run: string): readonly string[] {
  const known = remembered.get(run);
  if (known !== undefined) return known;
  const parts = run.slice(0, longestRun).replace(afterSmall, '$1 ').replace(afterAcronym, '$1 ').split(' ');
  const words = parts.map((part) => stemOf(part.toLowerCase()));
  if (remembered.size < mostRemembered && run.length <= longestRun) remembered.set(run, words);
  return words;
}

/** So light that only forms of one word meet: issues and issue, created and creating. */
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word.replace(/ies$/, 'y').replace(/(?<![siu])s$/, '');
  const bare = singular.replace(/(?<=[aeiouy].*)(?:ing|ed)$/, '');
  const plain = bare.length > 3 && bare !== singular ? bare.replace(/([bdgmnprt])\1$/, '$1') : bare;
  return (plain.length < 3 ? singular : plain).replace(/(?<=.{3})e$/, '').replace(/y$/, 'i');
}
