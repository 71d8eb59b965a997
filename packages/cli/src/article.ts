// Kinds as people speak of them.

/** Letters that begin with a vowel when they are read out one by one: an HTTPRoute, a URLMap. */
const spokenVowel = /^[AEFHILMNORSX](?=[A-Z0-9])/;
/** One is said as if it began with a w. */
const writtenVowel = /^[AEIO](?!ne(?![a-z]))/;

/** `a ModelBox`, `an AppService`, `an HTTPRoute`. */
export const withArticle = (kind: string): string => {
  const isAcronym = /^[A-Z](?=[A-Z0-9])/.test(kind);
  return `${(isAcronym ? spokenVowel : writtenVowel).test(kind) ? "an" : "a"} ${kind}`;
};

/** The same at the beginning of a sentence. */
export const withCapitalArticle = (kind: string): string => {
  const text = withArticle(kind);
  return text.charAt(0).toUpperCase() + text.slice(1);
};
