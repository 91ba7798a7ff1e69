import type { TreeNode } from './treeNode';

/**
 * The least that has to be drawn anew: the ids of the topmost nodes whose own row or list of children changed. A redrawn
 * node takes everything below it along, so nothing below it is named. 'all' when the list of roots changed.
 */
export function changedNodes(before: readonly TreeNode[], after: readonly TreeNode[]): 'all' | readonly string[] {
  if (!sameIds(before, after)) return 'all';
  return after.flatMap((node, index) => changedWithin(before[index], node));
}

/** Whether nothing but words and numbers changed in it and below it: what it is and what can be done with it is as before. */
export function onlyTextsChanged(before: TreeNode, after: TreeNode): boolean {
  return (
    before.icon === after.icon &&
    before.capabilities.join() === after.capabilities.join() &&
    sameIds(before.children, after.children) &&
    after.children.every((child, index) => onlyTextsChanged(before.children[index] ?? child, child))
  );
}

function changedWithin(before: TreeNode | undefined, after: TreeNode): readonly string[] {
  if (before === after) return [];
  if (before === undefined || !sameRow(before, after) || !sameIds(before.children, after.children)) return [after.id];
  return after.children.flatMap((child, index) => changedWithin(before.children[index], child));
}

function sameIds(a: readonly TreeNode[], b: readonly TreeNode[]): boolean {
  return a.length === b.length && a.every((node, index) => node.id === b[index]?.id);
}

/** Tooltips are asked for when they are shown, and do not count. */
function sameRow(a: TreeNode, b: TreeNode): boolean {
  return (
    a.label === b.label &&
    a.description === b.description &&
    a.icon === b.icon &&
    a.accessibilityLabel === b.accessibilityLabel &&
    a.capabilities.join() === b.capabilities.join()
  );
}
