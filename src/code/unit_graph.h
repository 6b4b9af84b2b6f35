/* The graph of a function: instructions, and the states where paths meet.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are decoded once, when a path first gets to them, and kept as
   nodes.  A node where paths can meet has a label, which owns the state in
   front of it; states in between are made anew from the label before them.  */

#ifndef CODE_UNIT_GRAPH_H
#define CODE_UNIT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/address_map.h"
#include "code/state.h"
#include "code/unit_context.h"

static const uint32_t UNIT_NONE = UINT32_MAX;

struct unit_node
{
  uint64_t address;
  uint32_t label;       /* or UNIT_NONE */
  uint32_t predecessor; /* node that goes on here, or UNIT_NONE */
  bool is_last;         /* the unit ends behind it, if it gets there */
  bool goes_back;       /* a way from here to the caller was seen ... */
  bool goes_straight;   /* ... which nothing else joins */
  struct insn insn;     /* size 0: no instruction */
};

struct unit_label
{
  size_t state; /* where it is in the unit's states */
  uint32_t node;
  bool queued;
};

/* Where a node leads that does not tell it by itself.  */
struct unit_edge
{
  uint32_t from, to;
};

struct unit
{
  const struct unit_context *context;
  const struct code_machine *machine;
  bool is_go;
  uint64_t entry, end;
  struct address_map numbers; /* of nodes */
  struct unit_node *nodes;
  size_t n_nodes, nodes_capacity;
  struct unit_label *labels;
  size_t n_labels, labels_capacity;
  /* Of the labels, one behind the other: joining only takes slots out, so that
     each has as much room as it took first, a third of the most.  */
  char *states;
  size_t states_size, states_capacity;
  size_t nodes_max, labels_max;
  uint32_t *queue; /* labels to be walked from; a stack */
  size_t n_queue, queue_capacity;
  struct unit_edge *edges;
  size_t n_edges, edges_capacity;
  uint32_t noting;  /* jumps from this node are edges, unless UNIT_NONE */
  uint32_t changed; /* mask of registers */
  struct address_map
      doubtful; /* calls that do not come back for all we know */
  struct jump_tables tables;
  uint64_t *ends; /* addresses that an earlier try has found; ascending */
  size_t n_ends, ends_capacity;
  bool landed;        /* exceptions get to it */
  bool is_proven;     /* returns */
  bool leaves;        /* the same by a jump that may be a tail call */
  bool is_odd;        /* uses registers that it got no values in */
  bool met_unknown;   /* called a function that nobody has followed */
  uint32_t visited;   /* node that unit_visit is at */
  uint32_t *left_for; /* functions that it gets to with another frame than
                         that of a call */
  size_t n_left_for, left_for_capacity;
  uint64_t steps;
  uint64_t steps_left; /* for all functions together */
  enum unit_failure failure;
  uint64_t failed_at;
};

/* The state of label NUMBER.  It moves when there are more.  */
static inline struct state *
unit_label_state (const struct unit *unit, uint32_t number)
{
  return (struct state *)(void *)(unit->states + unit->labels[number].state);
}

/* The unit says nothing, because of FAILURE at ADDRESS, if it was sound up to
   now.  */
void unit_fail (struct unit *unit, enum unit_failure failure,
                uint64_t address);

/* The node at ADDRESS, or UNIT_NONE.  */
uint32_t unit_node_at (struct unit *unit, uint64_t address);

/* The node behind NUMBER: mostly the one that was decoded after it.  Where
   there is none, the latter makes one.  */
uint32_t unit_find_behind (const struct unit *unit, uint32_t number);
uint32_t unit_node_behind (struct unit *unit, uint32_t number);

/* Node NUMBER, which has no label, gets one with STATE.  */
void unit_add_label (struct unit *unit, uint32_t number,
                     const struct state *state);

/* STATE arrives at node NUMBER, where paths can meet.  */
void unit_arrive (struct unit *unit, uint32_t number,
                  const struct state *state);

/* Whether another function starts at ADDRESS.  */
bool unit_is_start (const struct unit *unit, uint64_t address);

#endif /* CODE_UNIT_GRAPH_H */
