-- Ladders are recounted no more: the steps of those recounts, and what people were told of them. A version
-- after this one takes away rating_changes.reason, notifications.rating_before and rating_after.

DELETE FROM rating_changes WHERE reason IS NOT NULL;
DELETE FROM notifications WHERE kind = 'rating-recounted';
