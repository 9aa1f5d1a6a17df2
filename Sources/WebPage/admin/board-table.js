import { element } from '../common/element.js';

/**
 * A table of the operator's page. In a narrow window, style sheets show each row as a card, with the name of its column
 * above each value. The roles remain those of a table.
 */
export class BoardTable {
  #names;
  #body = element('tbody', { role: 'rowgroup' });

  /**
   * @param {string} title The table's name for screen readers.
   * @param {string[]} names The names of the columns. The first column has the heads of the rows.
   * @param {?Node} chooser The head of a column of checkboxes, in front of the others.
   */
  constructor(title, names, chooser = null) {
    this.#names = names;
    const heads = names.map((name) => element('th', { scope: 'col', role: 'columnheader' }, name));
    this.root = element('table.board', { role: 'table', 'aria-label': title },
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, choice(chooser), ...heads)), this.#body);
  }

  /** @param {Array<{chooser: ?Node, values: Array}>} rows For each row, its checkbox and the values by column. */
  show(rows) {
    this.#body.replaceChildren(...rows.map(({ chooser = null, values: [head, ...values] }) => element(
      'tr', { role: 'row' }, choice(chooser), element('th', { scope: 'row', role: 'rowheader' }, head),
      ...values.map((value, index) => element(
        'td', { role: 'cell', 'data-name': this.#names[index + 1] }, ...[value].flat())))));
  }
}

function choice(chooser) {
  return chooser && element('td.choice', { role: 'cell' }, chooser);
}
