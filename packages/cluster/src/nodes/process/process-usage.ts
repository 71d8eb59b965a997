// The memory and processor time of a process, as Linux counts them.
import { readFileSync } from "node:fs";

const pageSize = 4096;

/** The memory of a process; 0 when it is gone. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageSize;
  } catch {
    return 0;
  }
}

/** The processor time of a process, which Linux counts in hundredths of a second; 0 when it is gone. */
export function processorSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}
