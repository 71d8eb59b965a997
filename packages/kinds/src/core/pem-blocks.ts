// Texts in PEM: what stands between lines that begin and end a block.

/** One block, with the lines around it. */
export interface PemBlock {
  readonly type: string;
  readonly pem: string;
}

const marker = /-----(BEGIN|END) ([^\n-]{1,64})-----/g;

/** The blocks of a text, in order; what was begun and not ended is none. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { readonly type: string; readonly at: number } | undefined;
  for (const { 0: line, 1: edge, 2: type = "", index } of text.matchAll(marker)) {
    if (edge === "BEGIN") open = { type, at: index };
    else if (open?.type === type) {
      blocks.push({ type, pem: text.slice(open.at, index + line.length) });
      open = undefined;
    }
  }
  return blocks;
}
