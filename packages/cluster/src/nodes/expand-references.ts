// References to variables in values and commands of a container: `$(NAME)` stands for a variable that is known, `$$` for a dollar.
//
// Values may refer to values that refer to others, so that a few kilobytes of a pod stand for gigabytes. The kubelet leaves it to the
// system to refuse a process with so much; here the text would be in the memory of the cluster, so expansion is bounded by what Linux
// gives a process. References beyond that stay as they are, like those to unknown variables.

/** Characters that the variables, or the command, of one container gain by expansion, at most: what Linux takes for both. */
export const maxExpansion = 2 * 1024 * 1024;
/** Characters of one text, at most: what Linux takes for one argument. */
const maxText = 128 * 1024;

/** Expands the texts of one container, which share a bound. `known` may grow meanwhile. */
export function referenceExpander(known: ReadonlyMap<string, string>): (text: string) => string {
  let left = maxExpansion;
  return (text) => {
    let length = text.length;
    return text.replace(/\$\$|\$\(([A-Za-z_.-][A-Za-z0-9_.-]*)\)/g, (all, name?: string) => {
      const value = name === undefined ? "$" : known.get(name);
      if (value === undefined || value.length > left || length + value.length > maxText) return all;
      left -= value.length;
      length += value.length;
      return value;
    });
  };
}

/** Expands one text. */
export const expandReferences = (text: string, known: ReadonlyMap<string, string>): string =>
  referenceExpander(known)(text);
