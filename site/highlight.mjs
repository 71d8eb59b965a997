// Colours code: comments, strings and keywords of TypeScript, comments and keys of YAML, comments and prompts of shells.
import { escapeHtml } from "./html.mjs";

const keywords =
  "async await class const else export extends for from function if import in interface let new of return throw try type typeof undefined true false null default readonly catch finally using";

const typescript = new RegExp(
  [
    String.raw`(?<comment>//.*|/\*[\s\S]*?\*/)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`(?<keyword>\b(?:${keywords.split(" ").join("|")})\b)`,
  ].join("|"),
  "g",
);
const yaml =
  /(?<comment>(?:^|\s)#.*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<keyword>(?<=^[ -]*)[\w./-]+(?=:(?:\s|$)))/gm;
const shell = /(?<comment>(?:^|\s)# .*)|(?<string>"[^"\n]*"|'[^'\n]*')|(?<keyword>^\$ )/gm;
const json = /(?<keyword>"[^"\n]*"(?=\s*:))|(?<string>"[^"\n]*")/g;

const languages = { ts: typescript, js: typescript, json, yaml, sh: shell, console: shell };

/** HTML of the code; a language that is not known stays as it is. */
export function highlighted(code, language) {
  const pattern = languages[language];
  if (!pattern) return escapeHtml(code);
  let html = "";
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [name] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${name}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
