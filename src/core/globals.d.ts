/*
 * The few names that core may use and that neither ECMAScript nor core itself defines. Node, the browser and VS Code's web
 * worker all provide them; nothing else of those worlds exists in core (src/core/tsconfig.json has no Node and no DOM types).
 */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
