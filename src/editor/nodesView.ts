import {
  EventEmitter,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  type Event,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import { changedNodes, onlyTextsChanged } from '../core/present/treeDiff';
import { isAtOrBelow, type TreeNode } from '../core/present/treeNode';
import type { ViewId } from './ids';
import { tooltipContent } from './tooltips';

/** What VS Code hands to a command of a row's menu. The same object for the same row at all times. */
export interface NodeElement {
  readonly id: string;
  readonly host: HostId;
  readonly attempt: AttemptId | null;
}

export interface NodesView extends Disposable {
  readonly isVisible: boolean;
  readonly onVisibilityChanged: Event<unknown>;
  show(tree: readonly TreeNode[]): void;
}

/**
 * A row that is redrawn, or that lies below one that is, loses its hover. So while one may be read, the rows it would go with
 * keep their numbers for so long: no longer than a number counts as live.
 */
const hoverMs = 3_000;

/** A tree: answers from the view model that it was last shown, and redraws only what changed. */
export function createNodesView(id: ViewId, clock: Clock): NodesView {
  const model = new NodesModel(clock);
  const view: TreeView<NodeElement> = window.createTreeView(id, { treeDataProvider: model });
  return {
    get isVisible() {
      return view.visible;
    },
    onVisibilityChanged: view.onDidChangeVisibility,
    show: tree => model.replace(tree),
    dispose: () => {
      view.dispose();
      model.dispose();
    },
  };
}

class NodesModel implements TreeDataProvider<NodeElement>, Disposable {
  private readonly changed = new EventEmitter<NodeElement[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private roots: readonly TreeNode[] = [];
  private nodes = new Map<string, { readonly node: TreeNode; readonly element: NodeElement }>();
  private hover: { readonly id: string; readonly untilMs: number } | null = null;
  /** Ids of rows that are to be redrawn once the hover has been read. */
  private late: ReadonlySet<string> = new Set();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  replace(roots: readonly TreeNode[]): void {
    const changes = changedNodes(this.roots, roots);
    this.roots = roots;
    const before = this.nodes;
    this.nodes = new Map();
    const visit = (node: TreeNode): void => {
      const element = before.get(node.id)?.element ?? { id: node.id, host: node.host, attempt: node.attempt };
      this.nodes.set(node.id, { node, element });
      node.children.forEach(visit);
    };
    roots.forEach(visit);
    if (changes === 'all') {
      this.late = new Set();
      this.changed.fire(undefined);
      return;
    }
    const ids = [...new Set([...this.late, ...changes])];
    this.late = new Set(ids.filter(id => this.canWait(before.get(id)?.node, this.nodes.get(id)?.node)));
    const due = this.elements(ids.filter(id => !this.late.has(id)));
    if (due.length > 0) this.changed.fire(due);
  }

  getChildren(element?: NodeElement): NodeElement[] {
    const children = element === undefined ? this.roots : (this.nodes.get(element.id)?.node.children ?? []);
    return this.elements(children.map(child => child.id));
  }

  getTreeItem(element: NodeElement): TreeItem {
    const node = this.nodes.get(element.id)?.node;
    return node === undefined ? new TreeItem('') : treeItem(node);
  }

  resolveTreeItem(item: TreeItem, element: NodeElement): TreeItem {
    const tooltip = this.nodes.get(element.id)?.node.tooltip;
    if (tooltip === null || tooltip === undefined) return item;
    this.hover = { id: element.id, untilMs: this.clock.nowMs() + hoverMs };
    item.tooltip = tooltipContent(tooltip);
    return item;
  }

  dispose(): void {
    this.changed.dispose();
  }

  private canWait(before: TreeNode | undefined, after: TreeNode | undefined): boolean {
    if (this.hover === null || this.clock.nowMs() >= this.hover.untilMs || before === undefined || after === undefined)
      return false;
    return isAtOrBelow(this.hover.id, after) && onlyTextsChanged(before, after);
  }

  private elements(ids: readonly string[]): NodeElement[] {
    return ids.map(id => this.nodes.get(id)?.element).filter(element => element !== undefined);
  }
}

function treeItem(node: TreeNode): TreeItem {
  const item = new TreeItem(
    node.label,
    node.children.length === 0 ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Expanded,
  );
  item.id = node.id;
  item.description = node.description;
  item.iconPath = new ThemeIcon(node.icon);
  item.contextValue = node.capabilities.join(' ');
  item.accessibilityInformation = { label: node.accessibilityLabel };
  return item;
}
