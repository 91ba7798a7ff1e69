import type { HostId } from '../host/hostSpec';
import type { AttemptId } from '../job/attempt';
import type { Tooltip } from './tooltip';

/** One row of a tree, as plain data: every text in it has passed `plain()`. */
export interface TreeNode {
  /** The same for the same thing at all times, and in a finished tree unique. */
  readonly id: string;
  readonly host: HostId;
  /** The attempt that commands of this row are about; null for a row that is about none. */
  readonly attempt: AttemptId | null;
  readonly label: string;
  readonly description: string;
  readonly tooltip: Tooltip | null;
  /** A codicon. It repeats what the words say. */
  readonly icon: string;
  /** What can be done with it; menus ask for these. */
  readonly capabilities: readonly Capability[];
  readonly accessibilityLabel: string;
  readonly children: readonly TreeNode[];
}

export type Capability = 'canDisconnect' | 'canReconnect' | 'canForget' | 'canShowLog' | 'canStop' | 'canCopyId';

type Leaf = Pick<TreeNode, 'id' | 'host' | 'label' | 'icon'> & Partial<TreeNode>;

/** A node with what most nodes have. The accessibility label defaults to the texts of the row. */
export function treeNode(node: Leaf): TreeNode {
  const description = node.description ?? '';
  return {
    description,
    attempt: null,
    tooltip: null,
    capabilities: [],
    accessibilityLabel: description === '' ? node.label : `${node.label}, ${description}`,
    children: [],
    ...node,
  };
}

/** Whether the row with this id is that of `node` or lies below it; both of a finished tree. */
export function isAtOrBelow(id: string, node: TreeNode): boolean {
  return id === node.id || id.startsWith(`${node.id}\n`);
}

/**
 * The nodes with ids that are unique in the whole tree, made of the path to each. Until then an id needs only say what a node
 * is among its siblings, and even there a host may repeat itself (the same pid or uuid twice), on which a tree view fails.
 *
 * A leaf that gets children gets another id with them: VS Code opens a node only when it is new, and a card whose first
 * process starts would stay closed.
 */
export function withPathIds(siblings: readonly TreeNode[], parent: string | null = null): readonly TreeNode[] {
  const seen = new Map<string, number>();
  return siblings.map(node => {
    const own = node.children.length === 0 ? node.id : `${node.id} >`;
    const before = seen.get(own) ?? 0;
    seen.set(own, before + 1);
    // No id contains a line break: they are plain texts and our own words.
    const id = [parent, own, before === 0 ? null : `again ${before}`].filter(part => part !== null).join('\n');
    return { ...node, id, children: withPathIds(node.children, id) };
  });
}
