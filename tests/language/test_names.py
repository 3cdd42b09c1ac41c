"""A name that nothing has, and one that already means something, are errors that say where and what was meant."""

from __future__ import annotations

from tests.language.small import errors, sound


def test_the_small_blueprint_is_sound() -> None:
    assert errors() == ""


def test_an_unknown_name_is_told_with_a_near_one() -> None:
    told = errors(effect="one.fee = onne.fee")
    assert told == "operation tried, effect 2: there is no 'onne' here; did you mean 'one'?"


def test_an_unknown_attribute_is_told_with_a_near_one() -> None:
    assert "'one.stattus': Stay has no attribute 'stattus'; did you mean 'status'?" in errors(
        effect="one.stattus = 'open'"
    )
    assert "Stay has no attribute 'fees'; did you mean 'fee'?" in errors(require="one.fees > 0 | Free.")


def test_an_unknown_type_is_told_with_a_near_one() -> None:
    told = errors(entities="Room:\n  label: textt")
    assert told == "entity Room, attribute label: there is no type 'textt'; did you mean 'text'?"


def test_an_unknown_entity_is_told_with_a_near_one() -> None:
    assert "there is no entity 'Wart'; did you mean 'Ward'?" in errors(entities="Room:\n  ward: ref(Wart)")
    assert "there is no entity 'Stayy'; did you mean 'Stay'?" in errors(effect="new Stayy(since=today)")


def test_an_unknown_function_is_told_with_a_near_one() -> None:
    assert "there is no function 'rounnd'; did you mean 'round'?" in errors(effect="one.fee = rounnd(one.fee / 2)")


def test_an_unknown_parameter_of_count_is_told_with_a_near_one() -> None:
    assert "Stay has no attribute 'wardd'; did you mean 'ward'?" in errors(
        require="count(Stay, wardd=one.ward) < 3 | Full."
    )


def test_an_attribute_of_another_entity_is_unknown_in_same_as() -> None:
    assert "Ward has no attribute 'bed'; did you mean 'beds'?" in errors(params="n: Ward.bed")


def test_a_name_has_one_meaning_in_an_operation() -> None:
    assert "that name has a meaning here already" in errors(require="let amount = 3")
    assert "that name has a meaning here already" in errors(require="any(one for one in Stay) | None.")


def test_words_of_the_language_are_no_names() -> None:
    for word in ("count", "today", "self", "dict", "class", "first", "each"):
        assert f"{word!r}: that is a word of the language" in errors(require=f"let {word} = one.fee")


def test_a_define_is_no_name_for_a_let() -> None:
    parts = {"define": '"cost(s: Stay)": s.fee', "effect": "let cost = one.fee\none.fee = cost(one) + cost"}
    assert "that is a word of this blueprint" in errors(**parts)


def test_attributes_stand_only_behind_a_record() -> None:
    assert "there is no 'fee' here" in errors(require="fee > 0 | Free.")
    assert "'Stay' is an entity" in errors(require="Stay == one | No.")


def test_an_entity_is_written_like_this() -> None:
    assert "must be written LikeThis" in errors(entities="room:\n  label: text")


def test_two_entities_do_not_share_their_records() -> None:
    assert "which is taken" in errors(
        entities="Wards:\n  label: text\nCounter:\n  label: text\nCounters:\n  label: text"
    )


def test_what_is_never_used_is_an_error() -> None:
    assert errors(params="spare: int") == "operation tried: the parameter 'spare' is never used"
    assert errors(require="let spare = one.fee") == "operation tried: the let 'spare' is never used"
    assert errors(define='"spare(s: Stay)": s.fee') == "define spare: it is never used"
    assert "define 'cost' never uses its parameter 'n'" in errors(
        define='"cost(s: Stay, n: int)": s.fee', effect="one.fee = cost(one, 3)"
    )


def test_two_parameters_do_not_share_an_argument() -> None:
    told = errors(params="ward: ref(Ward)\nward_id: int", require="ward_id > 0 and ward != one.ward | No.")
    assert "two parameters would be called 'ward_id' on the wire" in told


def test_two_tools_do_not_share_a_name() -> None:
    queries = "list_stays:\n  about: Stays.\n  find: s in Stay"
    assert "'list_stays' would be the name of two tools" in errors(queries=queries)


def test_the_records_of_an_entity_have_names_of_their_own() -> None:
    model = sound(entities="PurchaseOrder:\n  box: optional ref(Box)\nBox:\n  label: text")
    order = model.entities["PurchaseOrder"]
    assert (order.noun, order.container, order.prefix, order.label) == ("purchase_order", "purchase_orders", "PO", "id")
    assert (model.entities["Box"].container, order.attributes["box"].key) == ("boxes", "box_id")
