// Positions in a JSON document: only so much of its structure has to be known to find the objects in it.

/** The event, or the list. */
export const document = 0;
const items = 1;
const object = 2;
/** The metadata of an object, which contains managedFields. */
export const metadata = 3;
const part = 4;
/** Inside the parts of an object; everything deeper counts up from here. */
export const inner = 5;
/** Deeper parts are left to JSON.parse. */
export const deepest = inner + 12;

/** The position of the value of a name; for an element of a list, the name is empty. */
export function placeIn(place: number, name: string): number {
  if (place >= part) return place + 1;
  if (place === items) return object;
  if (place === object) return name === "metadata" ? metadata : part;
  if (place === metadata) return inner;
  return name === "object" ? object : name === "items" ? items : part;
}
