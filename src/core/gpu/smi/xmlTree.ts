/**
 * A small reader for what nvidia-smi calls XML, which is not always well formed: bytes of process names go out as they are,
 * loops print one document after the other, and a dump can stop anywhere. Everything readable is kept, nothing throws.
 */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Everything between the tags, as written; see `textOf`. */
  readonly raw: string;
  /** The end tag was seen. An element that another one's end tag closed, or the end of the text, is not whole. */
  readonly closed: boolean;
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  readonly start: number;
}

const tag = /<([^<>]*)>/g;
const tagName = /^(\/?)([A-Za-z_][\w.:-]*)/;

export function parseXml(text: string): XmlElement {
  const root: OpenElement = { name: '', children: [], start: 0 };
  const open: OpenElement[] = [root];
  /** How many elements of each name are open, so that an end tag without a beginning costs nothing. */
  const openNames = new Map<string, number>();

  const close = (end: number, closed: boolean) => {
    const element = open.pop();
    if (element === undefined) return;
    openNames.set(element.name, (openNames.get(element.name) ?? 1) - 1);
    open
      .at(-1)
      ?.children.push({ name: element.name, children: element.children, raw: text.slice(element.start, end), closed });
  };

  for (const match of text.matchAll(tag)) {
    const body = match[1] ?? '';
    const [, slash, name] = tagName.exec(body) ?? [];
    if (name === undefined) continue;
    const end = match.index + match[0].length;
    if (slash === '') {
      open.push({ name, children: [], start: end });
      openNames.set(name, (openNames.get(name) ?? 0) + 1);
      if (body.endsWith('/')) close(end, true);
    } else if ((openNames.get(name) ?? 0) > 0) {
      while (open.at(-1)?.name !== name) close(match.index, false);
      close(match.index, true);
    }
  }
  while (open.length > 1) close(text.length, false);
  return { name: '', children: root.children, raw: text, closed: true };
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter(child => child.name === name) ?? [];
}

/** The first element at this path, child by child: never a namesake elsewhere in the tree. */
export function find(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce((at, name) => at?.children.find(child => child.name === name), element);
}

/** The text of an element; null when there is none. Names may hold "<" and "&" as they are, so its raw form counts. */
export function textOf(element: XmlElement | undefined): string | null {
  return element === undefined ? null : decode(element.raw.trim());
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(raw: string): string {
  return raw.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
