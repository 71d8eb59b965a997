// JSON values as YAML that kubectl and kube-apiserver, which read YAML 1.1, take for the same values.
//
// To them U+0085, U+2028 and U+2029 end a line, even inside a text: one that stood as it is in a block or without quotes would go on as
// further keys of the document. `<<` as a key merges, `0o7` is a number, and blocks that begin or end with empty lines are read in more than one way. Such texts are quoted, and the characters escaped.
import { type CreateNodeOptions, Document, stringify, type Tags, type ToStringOptions, visit } from "yaml";

export type YamlStyle = Pick<CreateNodeOptions & ToStringOptions, "indentSeq"> & {
  readonly sortMapEntries?: boolean;
};

const escaped = /[\u007f-\u009f\u2028\u2029\ufeff]/g;
const misread = /[\u007f-\u009f\u2028\u2029\ufeff]|^(<<|=|[-+]?0o[0-7_]+)$|^\s[\s\S]*\n|\n\s+$/;
/** Whether a text may hold something that is misread. */
const isSuspicious = /[\u007f-\u009f\u2028\u2029\ufeff]|<<|(^| )=(:|$)|\b0o[0-7]|[|>](\d|[+]|\d[+-])\n/m;

/** One document. */
export function stringifyYaml(value: unknown, style: YamlStyle = {}): string {
  const options = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false, ...style } as const;
  const text = stringify(value, options);
  // A block that is all of a document would lose the spaces it begins with. A text in quotes is the same in JSON.
  if (typeof value === "string" && text.slice(0, -1).includes("\n"))
    return `${JSON.stringify(value).replace(escaped, escapeOf)}\n`;
  if (!isSuspicious.test(text)) return text;
  const document = new Document(value, { ...options, customTags: withoutMerge });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && misread.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString(options).replace(escaped, escapeOf);
}

/** The tag that would leave `<<` without quotes. */
const withoutMerge = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:merge");

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
